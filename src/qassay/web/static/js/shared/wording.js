// Words and numbers as people read them.

export const TASKS = { likert5: "ratings from 1 to 5", binary: "right or wrong", pair: "the better of two" };

/** Return a number with as many decimals, and a dash where there is none. */
export function decimals(value, places = 3) {
  return value === null || value === undefined || !Number.isFinite(value) ? "–" : value.toFixed(places).replace("-", "−");
}

/** Return an interval. */
export function interval(low, high, places = 3) {
  return Number.isFinite(low) && Number.isFinite(high) && low !== null && high !== null ? `${decimals(low, places)} to ${decimals(high, places)}` : "–";
}

/** Return a count with its thousands apart. */
export function count(value) {
  return value === null || value === undefined ? "–" : value.toLocaleString("en");
}
