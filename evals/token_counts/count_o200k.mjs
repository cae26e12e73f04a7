// Count the o200k tokens of each text of a JSON list on stdin.
import { readFileSync } from "node:fs";
import { getEncoding } from "js-tiktoken";

const encoding = getEncoding("o200k_base");
const texts = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => encoding.encode(text, [], []).length)));
