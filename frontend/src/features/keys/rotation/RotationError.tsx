import { List, Stack, Text } from '@mantine/core';
import { toProblem } from '../../../api/errors';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';

/** Explains why a rotation request was refused, with the conflicting servers and rotations. */
export function RotationError({ error }: { error: unknown }) {
  const { referrers, hiddenReferrers } = toProblem(error);
  return (
    <Stack gap="xs">
      <ErrorPanel error={error} />
      {referrers.length > 0 && (
        <List size="sm" aria-label="Conflicts">
          {referrers.map(({ type, id, name }) => (
            <List.Item key={id}>
              {type === 'server' && (
                <AnchorLink to="/servers/$id" params={{ id }}>
                  {name}
                </AnchorLink>
              )}
              {type === 'key_rotation' && (
                <AnchorLink to="/keys/rotations/$id" params={{ id }} search={{}}>
                  Rotation of {name}
                </AnchorLink>
              )}
            </List.Item>
          ))}
        </List>
      )}
      {hiddenReferrers > 0 && (
        <Text size="xs" c="dimmed">
          And {plural(hiddenReferrers, 'server')} that you cannot view.
        </Text>
      )}
    </Stack>
  );
}
