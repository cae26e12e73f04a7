#!/bin/bash
if [ "$(cat /app/greeting.txt)" = hello ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
