/** The background colour of each theme (`--room` of the client's tokens), for what browsers draw around the page. */
export const THEME_COLORS = { dark: "#080c0e", light: "#eaeef0" } as const;
