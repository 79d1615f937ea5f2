// Elements, and texts of devices in them. Everything that comes from outside is set as text, never as markup.

const svgNames = new Set(["svg", "polyline", "circle", "g", "line", "text", "title", "rect"]);

// element("p", {class: "bad"}, "text", child, ...). Names that begin with "on" are listeners; false, null and undefined leave an attribute out.
export function element(name, attributes = {}, ...children) {
  const made = svgNames.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// A device chooses its name. What would act on the page's text, such as a change of its direction, is shown as its number.
export function inert(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu,
    (character) => character === "\u200d" ? character : `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`);
}

// A name of a device, which does not change the direction of what stands around it.
export function foreign(text) { return element("bdi", {}, inert(text)); }

export function button(text, action, attributes = {}) {
  return element("button", {type: "button", onclick: attempt(action), ...attributes}, text);
}

// A control with its label above it.
export function labelled(label, control) { return element("label", {}, element("span", {}, label), control); }

export function select(options, attributes = {}) {
  return element("select", attributes, options.map(([value, text]) => element("option", {value}, text)));
}

// Sets a text only where it changes: the element keeps its selection, and a screen reader is not disturbed.
export function setText(target, text) { if (target.textContent !== text) target.textContent = text; }

// Shows what went wrong, for some seconds.
export function complain(text) {
  const line = element("p", {}, inert(text), button("×", () => line.remove(), {"aria-label": "OK"}));
  document.getElementById("messages").replaceChildren(line);
  setTimeout(() => line.remove(), 10_000);
}

// A listener that shows the error of what it does.
export function attempt(work) {
  return async (event) => {
    event?.preventDefault();
    try {
      await work(event);
    } catch (error) {
      complain(error.message);
    }
  };
}

// "0a ff" of "0aff".
export function spaced(hex) { return hex.replace(/../g, "$& ").trimEnd(); }

// Gives a text to the browser as a file.
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  element("a", {href: address, download: name}).click();
  URL.revokeObjectURL(address);
}
