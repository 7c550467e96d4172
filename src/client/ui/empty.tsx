import type { ReactNode } from "react";

interface EmptyProps {
  title: ReactNode;
  text: ReactNode;
  /** The one lit button, if any. */
  action?: ReactNode;
}

/** The state of an empty list: an empty light box, and the next step. */
export function Empty({ title, text, action }: EmptyProps) {
  return (
    <section className="empty">
      <div className="light-box" aria-hidden="true">
        <EmptyFilm />
      </div>
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
      {action}
    </section>
  );
}

/** An empty frame for a film, for a light box that waits. */
export function EmptyFilm() {
  return (
    <svg viewBox="0 0 268 184" fill="none" stroke="currentColor" aria-hidden="true">
      <rect x="62" y="30" width="144" height="130" rx="4" strokeDasharray="4 5" />
      <path
        d="M134 116V78m0 0-14 14m14-14 14 14"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path d="M92 10v8M176 10v8" strokeWidth="5" strokeLinecap="round" stroke="oklch(.2 .008 240)" />
    </svg>
  );
}
