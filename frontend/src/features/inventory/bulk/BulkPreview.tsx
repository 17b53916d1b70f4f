import { Alert, Stack, Text } from '@mantine/core';
import type { BulkResult } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { OtherServers } from '../../../ui/feedback/OtherServers';
import { AnchorLink } from '../../../ui/page/links';
import classes from './bulk.module.css';
import { type BulkKind, OUTCOMES, summaryOf } from './bulk-text';

export function BulkPreview({ result, kind }: { result: BulkResult; kind: BulkKind }) {
  const { items, moreItems, refused } = result;
  return (
    <Stack gap="xs">
      <Alert color={refused > 0 ? 'yellow' : result.changed === 0 ? 'gray' : 'blue'} py="xs" role="status">
        <Text fw={550}>{summaryOf(result, kind)}</Text>
        {refused > 0 && <Text>You can apply the change without the refused servers. They stay unchanged.</Text>}
        <OtherServers servers={result.otherServers} hidden={result.hiddenServers} />
      </Alert>
      {items.length > 0 && (
        <ul className={classes.items} aria-label="Preview" tabIndex={0}>
          {items.map((item) => (
            <li key={item.serverId} className={classes.item} data-outcome={item.outcome}>
              <AnchorLink to="/servers/$id" params={{ id: item.serverId }} target="_blank" className={classes.name}>
                {item.name}
              </AnchorLink>
              <Text size="xs" className={item.outcome === 'refuse' ? classes.refused : classes.outcome}>
                {OUTCOMES[item.outcome]}
              </Text>
              <Text size="xs" className={classes.detail}>
                {item.reason?.text ??
                  item.changes
                    .map(({ field, before, after }) => `${field}: ${before ?? 'none'} → ${after ?? 'none'}`)
                    .join('; ')}
              </Text>
            </li>
          ))}
          {moreItems > 0 && (
            <li className={classes.item}>
              <Text size="xs" c="dimmed">
                and {plural(moreItems, 'more server')}
              </Text>
            </li>
          )}
        </ul>
      )}
    </Stack>
  );
}
