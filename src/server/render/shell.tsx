/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { IslandName, IslandProps } from "../../shared/islands.ts";
import type { Locale } from "../../shared/locale.ts";
import { translate } from "../http/translate.ts";
import type { ShellText } from "./bilingual.tsx";
import type { ClientGraph } from "./client-graph.ts";
import type { DocumentContext } from "./document-context.ts";
import { earlyPreferencesScript } from "./early-preferences.ts";
import { description, SocialCard } from "./social-card.tsx";
import { THEME_COLORS } from "./theme-colors.ts";
import { MANIFEST_PATH } from "./web-manifest.ts";

interface ShellProps extends DocumentContext {
  /** What the page is, before the product's name in its title; absent where that stands alone. */
  title?: ShellText;
  /** The island whose modules the page needs at once. */
  island?: IslandName;
  /** Style rules of this page alone. */
  style?: string;
  /** Whether search engines may list the page. */
  listed?: boolean;
  children: Child;
}

function titlesOf(title: ShellText, productName: string): Record<Locale, string> {
  const titleIn = (locale: Locale) => `${translate(locale, title)} · ${productName}`;
  return { "pt-BR": titleIn("pt-BR"), "en-US": titleIn("en-US") };
}

/** The HTML document around a page. A page without an island loads only the inline script. */
export function Shell({ title, island, style, listed = false, children, ...context }: ShellProps) {
  const { graph, nonce, productName, publicUrl, locale } = context;
  const titles = title && titlesOf(title, productName);
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="pt-BR" data-theme="dark" data-menu="sidebar">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>{titles?.[locale] ?? productName}</title>
          <meta name="description" content={translate(locale, description)} />
          <meta name="application-name" content={productName} />
          <meta name="color-scheme" content="dark light" />
          <meta name="theme-color" content={THEME_COLORS.dark} />
          {listed ? (
            <link rel="canonical" href={`${publicUrl}/`} />
          ) : (
            <meta name="robots" content="noindex" />
          )}
          {island && (
            <SocialCard
              productName={productName}
              publicUrl={publicUrl}
              locale={locale}
              cards={graph.marks.cards}
            />
          )}
          <link rel="icon" href={graph.marks.png32} type="image/png" sizes="32x32" />
          <link rel="icon" href={graph.icon} type="image/svg+xml" sizes="any" />
          <link rel="apple-touch-icon" href={graph.marks.apple180} />
          <link rel="manifest" href={MANIFEST_PATH} />
          <script nonce={nonce}>
            {raw(earlyPreferencesScript(cataloguesOf(graph, island), THEME_COLORS, titles))}
          </script>
          {graph.fonts.map((href) => (
            <link key={href} rel="preload" href={href} as="font" type="font/woff2" crossorigin="" />
          ))}
          {graph.styles.map((href) => (
            <link key={href} rel="stylesheet" href={href} />
          ))}
          {style && <style nonce={nonce}>{raw(style)}</style>}
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
  /** Shown until the island is loaded, and if it never loads. */
  children: Child;
}

/** The place of an island in the page; the client replaces its content. */
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

function cataloguesOf({ locales, hisLocales }: ClientGraph, island: IslandName | undefined) {
  const of = (locale: Locale) => [
    locales[locale],
    ...(island === undefined || island === "auth" ? [] : [hisLocales[locale]]),
  ];
  return { "pt-BR": of("pt-BR"), "en-US": of("en-US") };
}
