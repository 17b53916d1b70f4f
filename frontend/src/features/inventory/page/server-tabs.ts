import { ServerFacts } from '../facts/ServerFacts';
import { HostKeyTab } from './HostKeyTab';
import { OverviewTab } from './OverviewTab';
import { RunsTab } from './RunsTab';
import { VariablesTab } from './VariablesTab';
import type { ServerTab } from './server-tab';

/** Tabs of a server's page. The first one is the default. */
export const SERVER_TABS: [ServerTab, ...ServerTab[]] = [
  { value: 'overview', label: 'Overview', content: OverviewTab },
  { value: 'variables', label: 'Variables', content: VariablesTab },
  { value: 'facts', label: 'Facts', content: ServerFacts },
  { value: 'host-key', label: 'Host key', content: HostKeyTab },
  { value: 'runs', label: 'Runs', content: RunsTab },
];
