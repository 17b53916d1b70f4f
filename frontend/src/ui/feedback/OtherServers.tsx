import type { OtherServer } from '../../api/types';

interface Props {
  servers: readonly OtherServer[];
  /** Number of further servers that the member cannot see. */
  hidden: number;
}

const SHARED_PROPERTY_NAMES = { address: 'address', host_key: 'host key' };

export function OtherServers({ servers, hidden }: Props) {
  if (servers.length === 0 && hidden === 0) return null;
  return (
    <ul className="rw-list">
      {servers.map(({ name, by, serverId, serverName, environmentName }) => (
        <li key={`${name} ${serverId}`} className="rw-wrap-anywhere">
          “{name}” has the {SHARED_PROPERTY_NAMES[by]} of “{serverName}” in “{environmentName}”.
        </li>
      ))}
      {hidden > 0 && (
        <li>{hidden === 1 ? 'One server that you cannot view' : `${hidden} servers that you cannot view`}</li>
      )}
    </ul>
  );
}
