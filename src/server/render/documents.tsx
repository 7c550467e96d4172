/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { IslandProps } from "../../shared/islands.ts";
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

/** `/` and, with a token in the props, the pages of mailed links, which no search engine may list. */
export function entryDocument(context: DocumentContext, props: IslandProps<"auth">) {
  const { resetToken, stopToken, invitationToken } = props;
  return (
    <Shell {...context} island="auth" listed={!resetToken && !stopToken && !invitationToken}>
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
    <Shell {...context} island="visit">
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
    <Shell {...context} island="help">
      <Island name="help" props={props}>
        <IslandFailures failed={verifyFailed} />
      </Island>
    </Shell>
  );
}

/** `/r/{id}`. */
export function deliveryDocument(context: DocumentContext, props: IslandProps<"delivery">) {
  return (
    <Shell {...context} island="delivery">
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
    <Shell {...context} island="verify">
      <Island name="verify" props={props} class="verify-page">
        <IslandFailures failed={verifyFailed} />
      </Island>
    </Shell>
  );
}

/** `/api/docs`, which needs no script. */
export function apiDocsDocument(context: DocumentContext, { page, style }: { page: Child; style: string }) {
  return (
    <Shell {...context} style={style}>
      {page}
    </Shell>
  );
}

export function notFoundDocument(context: DocumentContext) {
  return (
    <Shell {...context}>
      <NotFoundPage productName={context.productName} />
    </Shell>
  );
}
