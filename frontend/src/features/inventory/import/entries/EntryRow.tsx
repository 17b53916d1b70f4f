import { Text } from '@mantine/core';
import type { ImportEntry } from '../../../../api/types';
import { AnchorLink } from '../../../../ui/page/links';
import { Badge } from '../../../../ui/status/Badge';
import { ACTIONS } from './actions';
import { type ChangeText, changeTexts } from './change-texts';
import classes from './entries.module.css';

interface Props {
  entry: ImportEntry;
  environmentName: (id: string) => string;
}

export function EntryRow({ entry, environmentName }: Props) {
  const { line, name, action, serverId, reason } = entry;
  const { tone, icon, label } = ACTIONS[action];
  return (
    <>
      <div role="cell" className={classes.line}>
        {line ?? (
          <Text span c="dimmed" inherit>
            –
          </Text>
        )}
      </div>
      <div role="cell" className={classes.name}>
        {serverId && action !== 'remove' ? (
          <AnchorLink to="/servers" search={{ edit: serverId }} fw={550} size="sm">
            {name}
          </AnchorLink>
        ) : (
          <Text fw={550}>{name}</Text>
        )}
      </div>
      <div role="cell">
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      </div>
      <div role="cell" className={classes.changes}>
        {reason && <Text>{reason.text}</Text>}
        {changeTexts(entry, environmentName).map((change) => (
          <Change key={change.field} change={change} isNew={action === 'create'} />
        ))}
      </div>
    </>
  );
}

function Change({ change: { field, before, after }, isNew }: { change: ChangeText; isNew: boolean }) {
  return (
    <span>
      <span className={classes.field}>{field}:</span>{' '}
      {!isNew && (
        <>
          <span className={classes.before}>{before ?? 'none'}</span> →{' '}
        </>
      )}
      <span className={isNew ? classes.value : classes.after}>{after ?? 'none'}</span>
    </span>
  );
}
