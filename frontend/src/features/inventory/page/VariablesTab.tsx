import { ServerVariables } from '../variables/ServerVariables';
import type { ServerTabProps } from './server-tab';

export const VariablesTab = ({ server, unless }: ServerTabProps) => (
  <ServerVariables serverId={server.id} unless={unless} />
);
