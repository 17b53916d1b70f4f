import { Alert } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import type { Collection } from '../../../api/types';
import { reasonText } from '../../../ui/collections/freeze';
import { useFreeze } from '../../../ui/collections/useFreeze';
import { shortTime } from '../../../ui/format/format';
import { useNow } from '../../../ui/format/useNow';
import { AnchorLink } from '../../../ui/page/links';
import { freezeState } from './freeze-form';

/** Shows the active freeze of a collection, and the scheduled one. */
export function FreezeFacts({ collection }: { collection: Collection }) {
  const { id, freeze, frozenBy: read } = collection;
  const frozenBy = useFreeze(read);
  const state = freezeState(collection, useNow());
  return (
    <>
      {frozenBy && (
        <Alert color="blue" py={8} icon={<IconSnowflake aria-hidden />}>
          No plan can start until {shortTime(frozenBy.until)}, except dry runs: {reasonText(frozenBy.reason)}{' '}
          {frozenBy.collectionId === id ? (
            freeze && `Frozen by ${freeze.setBy.name}.`
          ) : (
            <>
              It is in{' '}
              <AnchorLink to="/plans" search={(before) => ({ ...before, collection: frozenBy.collectionId })}>
                {frozenBy.collectionName}
              </AnchorLink>
              , which is frozen.
            </>
          )}
        </Alert>
      )}
      {state === 'coming' && freeze && (
        <Alert color="gray" py={8} icon={<IconSnowflake aria-hidden />}>
          Freeze scheduled from {shortTime(freeze.from)} until {shortTime(freeze.until)}: {reasonText(freeze.reason)}{' '}
          Set by {freeze.setBy.name}.
        </Alert>
      )}
    </>
  );
}
