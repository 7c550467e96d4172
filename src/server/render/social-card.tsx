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
  /** The public origin of this service; messengers require absolute addresses. */
  publicUrl: string;
  /** Absolute paths of the images. */
  cards: Record<Locale, string>;
}

/** The preview that messengers and networks show for a link to this service (ogp.me), in the language of their request. */
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
