/** The mark and the product's name. */
export function Brand({ productName }: { productName: string }) {
  return (
    <span className="brand">
      <svg viewBox="0 0 26 26" aria-hidden="true">
        <rect className="brand-shelf" x=".5" y=".5" width="25" height="25" rx="5" />
        <rect className="brand-slice" x="6" y="6" width="14" height="3.4" rx="1" />
        <rect className="brand-slice" x="6" y="11.3" width="10.5" height="3.4" rx="1" opacity=".62" />
        <rect className="brand-slice" x="6" y="16.6" width="14" height="3.4" rx="1" opacity=".34" />
      </svg>
      <span className="brand-name">{productName}</span>
    </span>
  );
}
