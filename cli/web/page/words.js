// The words of the interface, which the server sends in the language that the user has chosen here.

let words = {};

export function useWords(server) {
  words = server.words;
  document.documentElement.lang = server.language === "zh" ? "zh-CN" : "en";
}

export function w(key, values = {}) {
  return (words[key] || key).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

export function ago(time) {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 60000));
  const [value, unit] = minutes < 60 ? [minutes, "minute"]
    : minutes < 1440 ? [Math.round(minutes / 60), "hour"] : [Math.round(minutes / 1440), "day"];
  const format = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto", style: "short" });
  return format.format(-value, unit);
}
