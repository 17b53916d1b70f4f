import { lazy } from 'react';
import { OverviewPage } from '../../features/overview/OverviewPage';

const DecisionDialog = lazy(() =>
  import('../../features/executions/pause/RunDecisionDialog').then(({ RunDecisionDialog }) => ({
    default: RunDecisionDialog,
  })),
);
const RerunDialog = lazy(() =>
  import('../../features/executions/rerun/RunRerunDialog').then(({ RunRerunDialog }) => ({ default: RunRerunDialog })),
);

/** The overview with the dialogs of runs, which are loaded when they open. */
export const Overview = () => <OverviewPage DecisionDialog={DecisionDialog} RerunDialog={RerunDialog} />;
