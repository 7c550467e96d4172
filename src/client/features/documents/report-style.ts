/** How the page of a structured report looks: paper, in both themes. */
export const REPORT_STYLE = `
html {
  background: white;
  color: #1d2327;
  font:
    16px / 1.5 system-ui,
    sans-serif;
}
body {
  margin: 0;
  padding: 20px;
  overflow-wrap: anywhere;
}
h1,
h2,
h3,
h4,
h5,
h6 {
  margin: 1.25em 0 0.4em;
  font-size: 1.0625rem;
  line-height: 1.3;
}
h1 {
  margin-top: 0;
  font-size: 1.375rem;
}
p {
  margin: 0 0 0.5em;
}
dl {
  display: grid;
  grid-template-columns: minmax(0, auto) minmax(0, 1fr);
  gap: 0 1em;
  margin: 0 0 1.25em;
  padding-bottom: 1em;
  border-bottom: 1px solid #d5dade;
}
dl > div {
  display: contents;
}
dt {
  color: #55606a;
}
dd {
  margin: 0;
}
blockquote {
  margin: 0 0 0.75em;
  padding-left: 0.875em;
  border-left: 2px solid #d5dade;
}
a {
  color: #0b5d7a;
}
`;
