import { REPORT_STYLE } from "./report-style.ts";

/**
 * The page of a structured report with its style, and a policy of its own, which lets it run and load nothing.
 * @param html as it is made of a report, without styles
 * @param nonce that of the page which shows this one in a frame: its policy holds here too. A page that is saved as a file has none
 */
export function reportHtml(html: string, nonce?: string): string {
  const allowed = nonce ? `'nonce-${nonce}'` : "'unsafe-inline'";
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${allowed}">`;
  const sheet = `<style${nonce ? ` nonce="${nonce}"` : ""}>${REPORT_STYLE}</style>`;
  return html.replace("<head>", () => `<head>${policy}${sheet}`);
}
