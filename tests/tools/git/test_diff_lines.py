from maxagent.tools.git.diff_lines import list_shown_lines, render_new_file

DIFF = """diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -3,3 +3,4 @@ def f
 three
-four
+vier
+--- a/x.txt
 five
\\ No newline at end of file
diff --git a/gone.txt b/gone.txt
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-one
-two
"""


def test_lines_of_new_files_and_of_deleted_ones() -> None:
    assert list_shown_lines(DIFF) == {"a.txt": {3, 4, 5, 6}, "gone.txt": {1, 2}}


def test_new_file_shows_all_its_lines() -> None:
    assert list_shown_lines(render_new_file("n.txt", "a\nb")) == {"n.txt": {1, 2}}
    assert render_new_file("n.txt", "") == ""
