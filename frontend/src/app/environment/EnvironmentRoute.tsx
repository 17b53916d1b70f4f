import { lazy, Suspense, useState } from 'react';
import type { Environment } from '../../api/types';
import { EnvironmentPage } from '../../features/environments/EnvironmentPage';
import { EnvironmentOverviewTab } from '../../features/overview/environment/EnvironmentOverviewTab';

const RerunDialog = lazy(() =>
  import('../../features/executions/rerun/RunRerunDialog').then((module) => ({ default: module.RunRerunDialog })),
);

/** The page of an environment with its overview, and the dialog of runs, which is loaded when it opens. */
export const EnvironmentRoute = () => <EnvironmentPage Overview={Overview} />;

function Overview({ environment }: { environment: Environment }) {
  const [rerun, setRerun] = useState<string | null>(null);
  return (
    <>
      <EnvironmentOverviewTab environment={environment} onRerun={setRerun} />
      <Suspense>{rerun !== null && <RerunDialog key={rerun} runId={rerun} onClose={() => setRerun(null)} />}</Suspense>
    </>
  );
}
