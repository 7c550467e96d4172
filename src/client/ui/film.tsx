import type { Ref } from "react";

interface FilmProps {
  ref?: Ref<HTMLSpanElement>;
  /** Undefined shows an unexposed film. */
  src?: string;
  large?: boolean;
}

/** A picture of a study: black, square corners, the same in both themes. The picture is decoration; the row names the study. */
export function Film({ ref, src, large }: FilmProps) {
  return (
    <span ref={ref} className={`film ${large ? "is-large" : ""}`}>
      {src && <img src={src} alt="" decoding="async" />}
    </span>
  );
}
