/** @jsxImportSource hono/jsx */
import type { IslandProps } from "../../shared/islands.ts";
import { Bilingual } from "./bilingual.tsx";
import { IslandFailures } from "./island-failures.tsx";
import { Mark } from "./mark.tsx";
import { Island } from "./shell.tsx";

const loginTitle = /*i18n*/ { id: "auth.login.title", message: "Log in" };
const loginLead = /*i18n*/ { id: "auth.login.lead", message: "Your exams, kept safe and close at hand." };
const formFailed = /*i18n*/ {
  id: "shell.entry.failed",
  message: "The form could not be loaded. Check your connection and reload the page.",
};

/** The body of `/`: the light box, drawn without any script, and beside it the pane with the forms. */
export function EntryPage({ props }: { props: IslandProps<"auth"> }) {
  return (
    <div class="auth">
      <div class="auth-picture" aria-hidden="true">
        <div class="auth-box">
          <div class="auth-film is-chest" />
          <div class="auth-film is-sheet" />
          <div class="auth-clip" />
        </div>
      </div>
      <Island name="auth" props={props} class="auth-pane">
        <header class="auth-head">
          <Mark productName={props.productName} />
        </header>
        <main class="auth-main">
          <div class="auth-form">
            <div>
              <h1>
                <Bilingual text={loginTitle} />
              </h1>
              <p class="auth-lead">
                <Bilingual text={loginLead} />
              </p>
            </div>
            <IslandFailures failed={formFailed} />
            <LoginFormShape />
          </div>
        </main>
        <footer class="auth-foot">© 2025 {props.productName}</footer>
      </Island>
    </div>
  );
}

/** Reserves the places of the login form, so that nothing moves when the form appears. */
function LoginFormShape() {
  return (
    <div class="auth-shape" aria-hidden="true">
      <span class="skeleton is-control" />
      <span class="skeleton is-control" />
      <span class="skeleton is-control" />
    </div>
  );
}
