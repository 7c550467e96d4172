import type { ReactNode } from "react";

/** The heading of a form of the entry page. */
export function FormHead({ title, lead }: { title: ReactNode; lead: ReactNode }) {
  return (
    <div>
      <h1>{title}</h1>
      <p className="auth-lead">{lead}</p>
    </div>
  );
}
