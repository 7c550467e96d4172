/** @jsxImportSource hono/jsx */
import { type Locale, locales } from "../../shared/locale.ts";
import { translate } from "../http/translate.ts";

export const description = /*i18n*/ {
  id: "shell.description",
  message: "Imaging exams and reports in one place: upload, open, download and share.",
};
const pictured = /*i18n*/ { id: "auth.login.lead", message: "Your exams, kept safe and close at hand." };

const CARD = { width: 1200, height: 630 } as const;

interface SocialCardProps {
  productName: string;
  locale: Locale;
  /** Where people reach us; messengers ask for whole addresses. */
  publicUrl: string;
  /** Absolute paths of the pictures. */
  cards: Record<Locale, string>;
}

/** What messengers and networks show beside a link to us (ogp.me), in the language that they ask in. */
export function SocialCard({ productName, locale, publicUrl, cards }: SocialCardProps) {
  const properties = {
    "og:type": "website",
    "og:site_name": productName,
    "og:title": productName,
    "og:description": translate(locale, description),
    "og:url": `${publicUrl}/`,
    "og:image": publicUrl + cards[locale],
    "og:image:type": "image/png",
    "og:image:width": CARD.width,
    "og:image:height": CARD.height,
    "og:image:alt": translate(locale, pictured),
    "og:locale": locale.replace("-", "_"),
  };
  return (
    <>
      {Object.entries(properties).map(([property, content]) => (
        <meta key={property} property={property} content={String(content)} />
      ))}
      {locales
        .filter((other) => other !== locale)
        .map((other) => (
          <meta key={other} property="og:locale:alternate" content={other.replace("-", "_")} />
        ))}
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}
