/** @jsxImportSource hono/jsx */
import { Bilingual } from "./bilingual.tsx";
import { Mark } from "./mark.tsx";

const explanation = /*i18n*/ { id: "shell.notFound.text", message: "There is nothing at this address." };
const home = /*i18n*/ { id: "shell.notFound.home", message: "Go to the start page" };

export function NotFoundPage({ productName }: { productName: string }) {
  return (
    <div class="not-found">
      <header>
        <Mark productName={productName} href="/" />
      </header>
      <main>
        <h1>404 Page Not Found</h1>
        <p>
          <Bilingual text={explanation} />
        </p>
        <p class="not-found-hint" lang="en-US">
          Did you forget to add the page to the router?
        </p>
        <a class="btn is-lit" href="/">
          <Bilingual text={home} />
        </a>
      </main>
    </div>
  );
}
