/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { IslandName, IslandProps } from "../../shared/islands.ts";
import type { ClientGraph } from "./client-graph.ts";
import { earlyPreferencesScript } from "./early-preferences.ts";

interface ShellProps {
  title: string;
  description: string;
  graph: ClientGraph;
  nonce: string;
  /** The island whose modules the page will need at once. */
  island?: IslandName;
  /** Whether search engines may list the page. */
  listed?: boolean;
  children: Child;
}

/** The HTML document around a page. A page without an island loads no script but the inline one. */
export function Shell({ title, description, graph, nonce, island, listed = false, children }: ShellProps) {
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="pt-BR" data-theme="dark" data-menu="sidebar">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>{title}</title>
          <meta name="description" content={description} />
          <meta name="color-scheme" content="dark light" />
          {!listed && <meta name="robots" content="noindex" />}
          <link rel="icon" href={graph.icon} type="image/svg+xml" />
          <script nonce={nonce}>{raw(earlyPreferencesScript(graph.locales))}</script>
          {graph.fonts.map((href) => (
            <link key={href} rel="preload" href={href} as="font" type="font/woff2" crossorigin="" />
          ))}
          {graph.styles.map((href) => (
            <link key={href} rel="stylesheet" href={href} />
          ))}
          {island &&
            graph.islands[island].map((href) => (
              <link key={href} rel="modulepreload" href={href} fetchpriority="low" />
            ))}
          {island && <script type="module" nonce={nonce} src={graph.entry} fetchpriority="low" />}
        </head>
        <body>{children}</body>
      </html>
    </>
  );
}

interface IslandMarkerProps<Name extends IslandName> {
  name: Name;
  props: IslandProps<Name>;
  class?: string;
  /** What is read until the island is there, and if it never comes. */
  children: Child;
}

/** The place of an island in the page; the client replaces what is in it. */
export function Island<Name extends IslandName>({
  name,
  props,
  class: className,
  children,
}: IslandMarkerProps<Name>) {
  return (
    <div data-island={name} data-props={JSON.stringify(props)} class={className}>
      {children}
    </div>
  );
}
