// Comma-separated values (RFC 4180).

const quoted = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text;

// A text from any source. A spreadsheet takes what begins so for a formula.
export const field = (text) => quoted(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

// `rows` are lists of fields; what this page makes itself, such as a number, needs no `field`.
export function table(header, rows) { return [header, ...rows].map((row) => row.join(",")).join("\r\n") + "\r\n"; }
