import { useAtomValue } from "jotai";
import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  startTransition,
  useEffect,
  useState,
} from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import { sessionAtom } from "../../session.ts";
import { Brand } from "../../ui/brand.tsx";
import { Toaster } from "../../ui/toast.tsx";
import { LanguageSwitch } from "../preferences/language-switch.tsx";
import { ThemeSwitch } from "../preferences/theme-switch.tsx";
import type { AuthFormName, AuthFormProps } from "./auth-forms.ts";
import { SessionExpiredNotice } from "./auth-notices.tsx";
import { LoginForm } from "./login-form.tsx";

// Only the first form comes with the page.
const forms: Record<AuthFormName, ComponentType<AuthFormProps>> = {
  login: LoginForm,
  register: lazy(() => import("./register-form.tsx")),
};

interface Shown {
  form: AuthFormName;
  notice?: ReactNode;
  email?: string;
}

/** The entry page's pane: one form at a time. Who is signed in already goes on to /his. */
export default function AuthScreen(props: IslandProps<"auth">) {
  const isSignedIn = useAtomValue(sessionAtom) !== undefined;
  const [shown, setShown] = useState<Shown>(() => ({
    form: "login",
    notice: isMarkedExpired() && <SessionExpiredNotice />,
  }));

  useEffect(removeExpiredMark, []);
  useEffect(() => {
    if (isSignedIn) window.location.replace("/his");
  }, [isSignedIn]);

  const Form = forms[shown.form];
  return (
    <>
      <header className="auth-head">
        <Brand productName={props.productName} />
        <div className="flex items-center gap-2">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </header>
      <main className="auth-main">
        <Suspense>
          <Form
            key={shown.form}
            {...props}
            notice={shown.notice}
            email={shown.email}
            // In a transition the last form stays until the next one is loaded.
            onSwitch={(form, carry) => startTransition(() => setShown({ form, ...carry }))}
          />
        </Suspense>
      </main>
      <footer className="auth-foot">© 2025 {props.productName}</footer>
      <Toaster />
    </>
  );
}

function isMarkedExpired(): boolean {
  return new URLSearchParams(window.location.search).get("expired") === "true";
}

/** Takes `expired=true` out of the address, so that a reload does not say it again. */
function removeExpiredMark(): void {
  const url = new URL(window.location.href);
  url.searchParams.delete("expired");
  window.history.replaceState(null, "", url);
}
