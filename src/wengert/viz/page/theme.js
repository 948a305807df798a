// Light and dark theme: the system's, unless the reader selects one.
const THEMES = ["auto", "light", "dark"];
const themeListeners = [];
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function theme() {
  return document.documentElement.dataset.theme ?? "auto";
}

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  const words = { auto: "Auto", light: "Light", dark: "Dark" }[name];
  byId("theme").textContent = words;
  byId("theme").setAttribute("aria-label", `Colours: ${words}. Press to change.`);
  for (const listener of themeListeners) listener();
}

const nextTheme = () => setTheme(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
systemIsDark.addEventListener("change", () => { for (const listener of themeListeners) listener(); });

// The colour of a name in the style sheet.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// A colour between two "#rrggbb".
function between(first, second, share) {
  const channel = (words, at) => parseInt(words.slice(1 + 2 * at, 3 + 2 * at), 16);
  const mixed = [0, 1, 2].map((at) => Math.round(channel(first, at) + (channel(second, at) - channel(first, at)) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
