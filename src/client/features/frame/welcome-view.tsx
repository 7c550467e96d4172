import { Trans } from "@lingui/react/macro";
import { ReloadCard } from "../../ui/boundary.tsx";
import { ChunkPlace } from "../../ui/chunk-place.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { HomeFoot } from "../home/home-foot.tsx";
import { HomeHead } from "../home/home-head.tsx";
import { HomePlace } from "../home/home-place.tsx";
import { useHis } from "../session/his-context.ts";

// A person downloads only the home of their role.
const PersonHome = lazyChunk(() => import("../home/person-home.tsx"));
const DoctorHome = lazyChunk(() => import("../home/doctor-home.tsx"));
const AdminHome = lazyChunk(() => import("../operations/admin-home.tsx"));

const homes = { user: PersonHome, doctor: DoctorHome, lab: DoctorHome, admin: AdminHome };

/** The first view: what waits for the person, and what is new. */
export function WelcomeView() {
  const Home = homes[useHis().user.role];
  return (
    <>
      <ChunkPlace shape={<HomeShape />} failure={<HomeFailure />} head={<HomeHead />}>
        <Home />
      </ChunkPlace>
      <HomeFoot />
    </>
  );
}

function HomeShape() {
  return (
    <>
      <HomeHead />
      <HomePlace />
    </>
  );
}

function HomeFailure() {
  return (
    <>
      <HomeHead />
      <ReloadCard title={<Trans id="home.failed">We could not load this part</Trans>}>
        <Trans id="view.failed.text">Your exams are safe. Reload the page or continue in another view.</Trans>
      </ReloadCard>
    </>
  );
}
