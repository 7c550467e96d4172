/** @jsxImportSource hono/jsx */

/** The mark and the product's name, with or without a link to the start page. */
export function Mark({ productName, href }: { productName: string; href?: string }) {
  const content = (
    <>
      <svg viewBox="0 0 26 26" aria-hidden="true">
        <rect class="brand-shelf" x=".5" y=".5" width="25" height="25" rx="5" />
        <rect class="brand-slice" x="6" y="6" width="14" height="3.4" rx="1" />
        <rect class="brand-slice" x="6" y="11.3" width="10.5" height="3.4" rx="1" opacity=".62" />
        <rect class="brand-slice" x="6" y="16.6" width="14" height="3.4" rx="1" opacity=".34" />
      </svg>
      <span class="brand-name">{productName}</span>
    </>
  );
  return href ? (
    <a class="brand" href={href}>
      {content}
    </a>
  ) : (
    <span class="brand">{content}</span>
  );
}
