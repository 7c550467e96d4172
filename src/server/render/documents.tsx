/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { IslandProps } from "../../shared/islands.ts";
import type { ShellText } from "./bilingual.tsx";
import type { DocumentContext } from "./document-context.ts";
import { EntryPage } from "./entry-page.tsx";
import { IslandFailures } from "./island-failures.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { Island, Shell } from "./shell.tsx";

const hisFailed = /*i18n*/ {
  id: "shell.his.failed",
  message: "The page could not be loaded. Your exams are safe. Check your connection and reload.",
};
const verifyFailed = /*i18n*/ {
  id: "shell.verify.failed",
  message: "The page could not be loaded. Check your connection and reload.",
};

const titles = {
  reset: /*i18n*/ { id: "auth.reset.title", message: "New password" },
  stop: /*i18n*/ { id: "auth.stop.title", message: "Stop the change of e-mail?" },
  invitation: /*i18n*/ { id: "invitation.title", message: "See an exam" },
  local: /*i18n*/ { id: "local.title", message: "View an exam without an account" },
  // Without the patient's name, which the browser's history would keep.
  visit: /*i18n*/ { id: "shell.visit.title", message: "Shared exams" },
  help: /*i18n*/ { id: "help.title", message: "Help" },
  delivery: /*i18n*/ { id: "shell.delivery.title", message: "Deliver exams" },
  verify: /*i18n*/ { id: "verify.title", message: "Check a receipt" },
  notFound: /*i18n*/ { id: "shell.notFound.title", message: "Page not found" },
};

/** `/` and, with a token in the props, the pages of mailed links, which no search engine may list. */
export function entryDocument(context: DocumentContext, props: IslandProps<"auth">) {
  const { resetToken, stopToken, invitationToken, local } = props;
  const title =
    (resetToken && titles.reset) ||
    (stopToken && titles.stop) ||
    (invitationToken && titles.invitation) ||
    (local && titles.local) ||
    undefined;
  const listed = !resetToken && !stopToken && !invitationToken;
  return (
    <Shell {...context} title={title} island="auth" listed={listed}>
      <EntryPage props={props} />
    </Shell>
  );
}

export function hisDocument(context: DocumentContext, props: IslandProps<"his">) {
  return (
    <Shell {...context} island="his">
      <Island name="his" props={props}>
        <p class="his-loading">Loading...</p>
        <IslandFailures failed={hisFailed} />
      </Island>
    </Shell>
  );
}

const visitFailed = /*i18n*/ {
  id: "shell.visit.failed",
  message: "The page could not be loaded. Check your connection and reload.",
};

/** `/v/{id}`, the page of a link. */
export function visitDocument(context: DocumentContext, props: IslandProps<"visit">) {
  return (
    <Shell {...context} title={titles.visit} island="visit">
      <Island name="visit" props={props}>
        <p class="his-loading">Loading...</p>
        <IslandFailures failed={visitFailed} />
      </Island>
    </Shell>
  );
}

/** `/ajuda`. */
export function helpDocument(context: DocumentContext, props: IslandProps<"help">) {
  return (
    <Shell {...context} title={titles.help} island="help">
      <Island name="help" props={props}>
        <IslandFailures failed={verifyFailed} />
      </Island>
    </Shell>
  );
}

/** `/r/{id}`. */
export function deliveryDocument(context: DocumentContext, props: IslandProps<"delivery">) {
  return (
    <Shell {...context} title={titles.delivery} island="delivery">
      <Island name="delivery" props={props}>
        <p class="his-loading">Loading...</p>
        <IslandFailures failed={visitFailed} />
      </Island>
    </Shell>
  );
}

/** `/verificar`. */
export function verifyDocument(context: DocumentContext, props: IslandProps<"verify">) {
  return (
    <Shell {...context} title={titles.verify} island="verify">
      <Island name="verify" props={props} class="verify-page">
        <IslandFailures failed={verifyFailed} />
      </Island>
    </Shell>
  );
}

interface ApiPage {
  title: ShellText;
  page: Child;
  style: string;
}

/** `/api/docs` and `/api/conformance`, which need no script. */
export function apiDocsDocument(context: DocumentContext, { title, page, style }: ApiPage) {
  return (
    <Shell {...context} title={title} style={style}>
      {page}
    </Shell>
  );
}

export function notFoundDocument(context: DocumentContext) {
  return (
    <Shell {...context} title={titles.notFound}>
      <NotFoundPage productName={context.productName} />
    </Shell>
  );
}
