interface FilmProps {
  /** Undefined: an unexposed film. */
  src?: string;
  large?: boolean;
}

/** A picture of a study: black, square corners, the same in both themes. Decoration: the row says what it is. */
export function Film({ src, large }: FilmProps) {
  return (
    <span className={`film ${large ? "is-large" : ""}`}>
      {src && <img src={src} alt="" loading="lazy" decoding="async" />}
    </span>
  );
}
