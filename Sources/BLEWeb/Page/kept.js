// What this browser keeps for the next time; a browser that forbids it keeps nothing.
export const kept = {
  get(name, standard) {
    try {
      return JSON.parse(localStorage.getItem(name)) ?? standard;
    } catch {
      return standard;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      // As good as kept: it holds until the page is closed.
    }
  },
};
