import { Trans } from "@lingui/react/macro";
import { useAtom, useAtomValue } from "jotai";
import { type ComponentType, type RefObject, Suspense, useEffect, useRef, useState } from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import { outlivesPage, sessionAtom } from "../../session.ts";
import { Brand } from "../../ui/brand.tsx";
import { useInnerStep } from "../../ui/hooks/use-inner-step.ts";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Toaster } from "../../ui/toast.tsx";
import { pickToKeepAtom } from "../local-view/kept-pick.ts";
import { LocalBlock } from "../local-view/local-block.tsx";
import type { LocalPick } from "../local-view/local-pick.ts";
import { LanguageSwitch } from "../preferences/language-switch.tsx";
import { ThemeSwitch } from "../preferences/theme-switch.tsx";
import { noticeOfAddress, removeAddressMarks } from "./address-marks.tsx";
import {
  type AuthCarry,
  type AuthFormName,
  type AuthFormProps,
  formOf,
  type RegisterDraft,
} from "./auth-forms.ts";
import { enterHis } from "./enter-his.ts";
import { KeepNotice, KeepStep } from "./keep-notice.tsx";
import { LoginForm } from "./login-form.tsx";
import { readPendingSignIn } from "./pending-sign-in.ts";

// Only the first form is part of the page's own chunk.
const forms: Record<AuthFormName, ComponentType<AuthFormProps>> = {
  local: LocalHead,
  login: LoginForm,
  register: lazyChunk(() => import("./register-form.tsx")),
  forgot: lazyChunk(() => import("./forgot-form.tsx")),
  reset: lazyChunk(() => import("./reset-form.tsx")),
  stop: lazyChunk(() => import("./stop-form.tsx")),
  invitation: lazyChunk(() => import("./invitation-form.tsx")),
  verify: lazyChunk(() => import("./verify-form.tsx")),
  factor: lazyChunk(() => import("./factor-form.tsx")),
};

/** A person who views files, wants to stop a change, or accepts an invitation, may be signed in. */
const FOR_ALL: ReadonlySet<AuthFormName> = new Set(["local", "stop", "invitation"]);

/** The form that is a step of the browser's history, so that Back leads to the form before it and a reload shows it again. */
type StepForm = "register";

interface Shown extends AuthCarry {
  form: AuthFormName;
  /** Whether the person came from another form. */
  hasSwitched?: boolean;
}

/** The entry page's pane, with one form at a time. People who are already signed in go to /his. */
export default function AuthScreen(props: IslandProps<"auth">) {
  const sessionToken = useAtomValue(sessionAtom)?.token;
  const isSignedIn = sessionToken !== undefined;
  const [{ form, hasSwitched, ...carry }, setShown] = useState(() => firstForm(props));
  const main = useRef<HTMLElement>(null);
  const [kept, setKept] = useAtom(pickToKeepAtom);
  const isKeeping = kept !== undefined;
  /** Files of which the person went back to the exam. */
  const [reopened, setReopened] = useState<LocalPick>();
  /** The session, if there was one, in which the page's invitation was refused. Another one is to accept it. */
  const [refusedIn, setRefusedIn] = useState<{ token: string | undefined }>();
  /** What Back leads to from the form that is a step. */
  const below = useRef<Shown>(undefined);
  const registerDraft = useRef<RegisterDraft>(undefined);
  const show = (next: Shown) => {
    setReopened(undefined);
    if (!stepOf(next)) below.current = next;
    setShown(next);
  };

  useInnerStep(stepOf({ form }), (asked) => {
    show({ ...(asked ? { form: asked } : (below.current ?? firstForm(props))), hasSwitched: true });
  });
  useEffect(removeAddressMarks, []);
  useEffect(() => {
    if (!isSignedIn || isKeeping || FOR_ALL.has(form) || refusedIn?.token === sessionToken) return;
    if (refusedIn) {
      setRefusedIn(undefined);
      return setShown({ form: "invitation" });
    }
    // Where the browser keeps nothing, the session is in this page alone.
    if (outlivesPage()) window.location.replace("/his");
    else void enterHis();
  }, [isSignedIn, sessionToken, refusedIn, isKeeping, form]);

  const Form = forms[form];
  return (
    <>
      <header className="auth-head">
        <Brand productName={props.productName} />
        <div className="flex items-center gap-2">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </header>
      <main className="auth-main" ref={main}>
        <Suspense key={form} fallback={<FormShape />}>
          <Form
            {...props}
            {...carry}
            registerDraft={registerDraft}
            onSwitch={(next, nextCarry) => {
              if (nextCarry?.awaitsInvitation) setRefusedIn({ token: sessionToken });
              show({ form: next, ...nextCarry, hasSwitched: true });
            }}
          />
          {hasSwitched && <FocusOnFirstEmpty main={main} />}
        </Suspense>
        {kept && (
          <KeepStep
            isSignedIn={isSignedIn}
            onBack={() => {
              show(firstForm(props));
              setReopened(kept);
              setKept(undefined);
            }}
          />
        )}
        {(form === "login" || form === "local") && !isKeeping && (
          <LocalBlock
            productName={props.productName}
            isShared={props.local === "shared"}
            reopened={reopened}
            onKeep={() => show({ form: "login", notice: <KeepNotice /> })}
          />
        )}
      </main>
      <footer className="auth-foot">
        © 2025 {props.productName}{" "}
        <a className="link" href="/ajuda">
          <Trans id="help.title">Help</Trans>
        </a>
      </footer>
      <Toaster />
    </>
  );
}

/** The heading of `/ver`, which stands over the files alone. */
function LocalHead({ onSwitch }: AuthFormProps) {
  return (
    <div className="auth-form">
      <h1>
        <Trans id="local.title">View an exam without an account</Trans>
      </h1>
      <p className="auth-switch">
        <button type="button" className="link" onClick={() => onSwitch("login")}>
          <Trans id="auth.login.link">Log in</Trans>
        </button>
      </p>
    </div>
  );
}

function stepOf({ form }: Shown): StepForm | undefined {
  return form === "register" ? form : undefined;
}

function firstForm({ resetToken, stopToken, invitationToken, local }: IslandProps<"auth">): Shown {
  if (local) return { form: "local" };
  if (invitationToken) return { form: "invitation" };
  if (stopToken) return { form: "stop" };
  if (resetToken) return { form: "reset" };
  const notice = noticeOfAddress(window.location.search);
  const pending = notice ? undefined : readPendingSignIn(Date.now());
  return pending ? { form: formOf(pending), pending } : { form: "login", notice };
}

/** After a switch, the new form's first empty field gets the focus, so that the person can go on typing. */
function FocusOnFirstEmpty({ main }: { main: RefObject<HTMLElement | null> }) {
  useEffect(() => {
    const inputs = main.current?.querySelectorAll<HTMLInputElement>("form input") ?? [];
    [...inputs].find(({ value }) => value === "")?.focus();
  }, [main]);
  return null;
}

/** Holds the place of a form that is being loaded. */
function FormShape() {
  return (
    <div className="auth-form auth-shape" aria-busy="true">
      <Skeleton shape="control" />
      <Skeleton shape="control" />
    </div>
  );
}
