import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconShieldQuestion } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useUpdateGitSource } from '../../../api/queries/library/git-sources';
import type { GitSource } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { Fact } from '../../../ui/page/Fact';
import { isHostKeyState } from './source-state';

/** The host key that an ssh remote showed, to be compared and accepted; nothing where it is the accepted one. */
export function HostKeyNotice({ source }: { source: GitSource }) {
  const { seenHostKey, state, hostKey } = source;
  if (!seenHostKey || !isHostKeyState(state)) return null;
  const changed = state === 'host_key_changed';
  return (
    <Alert
      color={changed ? 'red' : 'yellow'}
      icon={changed ? <IconAlertTriangle aria-hidden /> : <IconShieldQuestion aria-hidden />}
      title={
        changed ? 'The remote shows another host key than the accepted one' : 'Nobody has accepted the host key yet'
      }
    >
      <Stack gap="sm">
        <Text>
          {changed
            ? 'That happens when the remote is set up anew, and also when somebody stands between. Nothing is fetched until you accept the new key. Find out why it changed first.'
            : 'Compare it with the one that the owner of the remote publishes. Nothing is fetched before.'}
        </Text>
        {changed && hostKey && (
          <Fact label="Accepted before">
            <Fingerprint hostKey={hostKey} />
          </Fact>
        )}
        <Fact label="Shown now">
          <Fingerprint hostKey={seenHostKey} />
        </Fact>
        <Accept key={seenHostKey.fingerprint} source={source} fingerprint={seenHostKey.fingerprint} />
      </Stack>
    </Alert>
  );
}

const Fingerprint = ({ hostKey: { type, fingerprint } }: { hostKey: NonNullable<GitSource['hostKey']> }) => (
  <span className="rw-mono" style={{ overflowWrap: 'anywhere' }}>
    {[type, fingerprint].filter(Boolean).join(' ')}
  </span>
);

function Accept({ source, fingerprint }: { source: GitSource; fingerprint: string }) {
  const update = useUpdateGitSource();
  const [compared, setCompared] = useState(false);
  return (
    <>
      <Checkbox
        label="I compared the fingerprints, and they are equal"
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
            Accept this key
          </Button>
        </Can>
      </Group>
    </>
  );
}
