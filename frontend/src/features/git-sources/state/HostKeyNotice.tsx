import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconShieldQuestion } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useUpdateGitSource } from '../../../api/queries/library/git-sources';
import type { GitSource } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { Fact } from '../../../ui/page/Fact';
import { isHostKeyState } from './source-state';

/** Shows the host key of an SSH git server, to verify and accept it. Shows nothing if the key is already accepted. */
export function HostKeyNotice({ source }: { source: GitSource }) {
  const { seenHostKey, state, hostKey } = source;
  if (!seenHostKey || !isHostKeyState(state)) return null;
  const changed = state === 'host_key_changed';
  return (
    <Alert
      color={changed ? 'red' : 'yellow'}
      icon={changed ? <IconAlertTriangle aria-hidden /> : <IconShieldQuestion aria-hidden />}
      title={changed ? 'Host key of the git server has changed' : 'Host key not accepted yet'}
    >
      <Stack gap="sm">
        <Text>
          {changed
            ? 'The server may have been reinstalled, or an attacker may intercept the connection. Find out why the key changed before you accept it. Runward fetches nothing until then.'
            : 'Compare it with the fingerprint published by the owner of the server. Runward fetches nothing until you accept it.'}
        </Text>
        {changed && hostKey && (
          <Fact label="Accepted key">
            <Fingerprint hostKey={hostKey} />
          </Fact>
        )}
        <Fact label="Current key">
          <Fingerprint hostKey={seenHostKey} />
        </Fact>
        <AcceptHostKey key={seenHostKey.fingerprint} source={source} fingerprint={seenHostKey.fingerprint} />
      </Stack>
    </Alert>
  );
}

const Fingerprint = ({ hostKey: { type, fingerprint } }: { hostKey: NonNullable<GitSource['hostKey']> }) => (
  <span className="rw-mono rw-wrap-anywhere">{[type, fingerprint].filter(Boolean).join(' ')}</span>
);

function AcceptHostKey({ source, fingerprint }: { source: GitSource; fingerprint: string }) {
  const update = useUpdateGitSource();
  const [compared, setCompared] = useState(false);
  return (
    <>
      <Checkbox
        label="I compared the fingerprints and they match"
        checked={compared}
        onChange={(event) => setCompared(event.currentTarget.checked)}
      />
      {update.error && <ErrorPanel error={update.error} />}
      <Group>
        <Can role="operator" unless={compared ? null : 'Compare the fingerprints first.'}>
          <Button
            loading={update.isPending}
            onClick={() => update.mutate({ source, body: { hostKey: { fingerprint } } })}
          >
            Accept host key
          </Button>
        </Can>
      </Group>
    </>
  );
}
