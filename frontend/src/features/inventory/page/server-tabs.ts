import { ServerFacts } from '../facts/ServerFacts';
import { HostKeyTab } from './HostKeyTab';
import { OverviewTab } from './OverviewTab';
import { RunsTab } from './RunsTab';
import { VariablesTab } from './VariablesTab';
import type { ServerTab } from './server-tab';

/** The tabs of the page of a server, the one that it opens with first. */
export const SERVER_TABS: [ServerTab, ...ServerTab[]] = [
  { value: 'overview', label: 'Overview', content: OverviewTab },
  { value: 'variables', label: 'Variables', content: VariablesTab },
  { value: 'facts', label: 'Facts', content: ServerFacts },
  { value: 'host-key', label: 'Host key', content: HostKeyTab },
  { value: 'runs', label: 'Runs', content: RunsTab },
];
