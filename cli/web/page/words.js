// The words of the interface, which the server sends in the language that the user has chosen here.

let words = {};
let verbs = {};

export function useWords(server) {
  ({ words, verbs } = server);
  document.documentElement.lang = server.language === "zh" ? "zh-CN" : "en";
}

export function w(key, values = {}) {
  return (words[key] || key).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

// How many of something: `read 3 files`
export const countWords = (key, count) => w(count === 1 ? `${key}.one` : key, { count });

const MAIN = ["command", "file_path", "path", "regex", "pattern", "question", "url", "action", "id", "result"];

function findSubjects(tool, args) {
  if (tool === "use_mcp_tool") return [args.server_name, args.tool_name];
  if (tool === "subagent") {
    const tasks = Array.isArray(args.tasks) ? args.tasks : [args];
    return tasks.length > 1 ? [w("call.agents", { count: tasks.length })] : tasks.map((task) => task?.agent_type || task?.resume);
  }
  const texts = Object.values(args).filter((value) => typeof value === "string");
  if (tool === "todowrite" && args.todos?.filter) return [w("todos.done", { done: args.todos.filter((each) => each?.status === "completed").length, all: args.todos.length })];
  if (tool === "list_files") return [args.path && args.path !== "." ? args.path : "./"];
  if (tool === "apply_patch") return [[...texts.join("\n").matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map((match) => match[1]).join(", ")];
  const main = MAIN.map((name) => args[name]).find((value) => typeof value === "string" && value);
  const subject = (/^(grep|glob)$/.test(tool) && (args.regex || args.pattern)) || main || texts[0];
  return [subject, /^(grep|glob)$/.test(tool) && args.path && args.path !== "." && w("call.in", { folder: args.path })];
}

// The verb of a call, as the terminal says it, and what it is about
export function describeCall(tool, args) {
  if (tool.startsWith("git_")) return ["run", tool.replaceAll("_", " ")];
  const subject = findSubjects(tool, args).filter((each) => typeof each === "string" && each !== ".").join(" ").replace(/\s+/g, " ").trim();
  const line = subject.length > 140 ? `${subject.slice(0, 139)}…` : subject;
  if (tool === "use_mcp_tool") return ["use", line];
  return Object.hasOwn(verbs, tool) ? [verbs[tool], line] : ["use", `${tool} ${line}`];
}

// How long something took: `12s`, `3m`
export function showSpan(since, until) {
  const seconds = Math.round((Date.parse(until) - Date.parse(since)) / 1000);
  if (!(seconds >= 0)) return "";
  const [value, unit] = seconds < 60 ? [seconds, "second"] : [Math.round(seconds / 60), "minute"];
  return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit, unitDisplay: "narrow" }).format(value);
}

export function ago(time) {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 60000));
  const [value, unit] = minutes < 1 ? [0, "second"] : minutes < 60 ? [minutes, "minute"]
    : minutes < 1440 ? [Math.round(minutes / 60), "hour"] : [Math.round(minutes / 1440), "day"];
  const format = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto", style: "short" });
  return format.format(-value, unit);
}
