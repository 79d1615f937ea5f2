// Values in several formats. The server says what the SIG has assigned; here is what octets may mean besides.

const little = (octets) => octets.reduceRight((number, octet) => number * 256 + octet, 0);

export function octets(hex) { return (hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16)); }

// The number for a chart: what stands first in the meaning ("21.00 °C"), else the octets as one number.
export function number(value) {
  const said = value.meaning?.match(/-?\d+(\.\d+)?/);
  if (said) return Number(said[0]);
  const all = octets(value.value.hex);
  return all.length > 0 && all.length <= 4 ? little(all) : null;
}

// [name, text] of each format that fits.
export function formats(hex, text) {
  const all = octets(hex);
  const found = [];
  if (text !== null && text !== "") found.push(["utf8", text]);
  if ([1, 2, 4].includes(all.length)) {
    const unsigned = little(all);
    const limit = 2 ** (8 * all.length);
    found.push([`uint${8 * all.length}`, String(unsigned)]);
    if (unsigned >= limit / 2) found.push([`int${8 * all.length}`, String(unsigned - limit)]);
  }
  if (all.length === 4 || all.length === 8) {
    const view = new DataView(new Uint8Array(all).buffer);
    const float = all.length === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
    if (Number.isFinite(float) && (float === 0 || Math.abs(float) > 1e-6 && Math.abs(float) < 1e9)) {
      found.push([`float${8 * all.length}`, String(Number(float.toPrecision(7)))]);
    }
  }
  return found;
}

// The formats in which values are written: those of `ble write --format`.
export const writeFormats = ["hex", "utf8", "base64", "uint8", "uint16le", "uint32le", "int8", "int16le", "int32le", "float32le", "float64le"];
