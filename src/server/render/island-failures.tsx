/** @jsxImportSource hono/jsx */
import { Bilingual, type ShellText } from "./bilingual.tsx";

const needsScript = /*i18n*/ {
  id: "shell.needsScript",
  message: "This page needs JavaScript. Please turn it on in your browser.",
};

/** What is said of an island that does not load, and to a browser without scripts. */
export function IslandFailures({ failed }: { failed: ShellText }) {
  return (
    <>
      <p class="notice is-bad island-failed">
        <span>
          <Bilingual text={failed} />
        </span>
      </p>
      <noscript>
        <p class="notice is-warn">
          <span>
            <Bilingual text={needsScript} />
          </span>
        </p>
      </noscript>
    </>
  );
}
