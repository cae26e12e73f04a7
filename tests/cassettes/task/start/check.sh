grep -q yes answer.txt && echo "1 passed" || { echo "answer.txt does not say yes"; exit 1; }
