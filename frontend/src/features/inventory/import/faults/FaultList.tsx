import { Alert, Anchor, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import classes from './faults.module.css';
import { placeOf, type TextFault } from './text-faults';

interface Props {
  title: string;
  advice?: string;
  faults: readonly TextFault[];
  more?: number;
  /** Shows a line of the text; absent: the text is not available. */
  onSelectLine?: (line: number) => void;
}

export function FaultList({ title, advice, faults, more = 0, onSelectLine }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  // Scrolls to the list: the button that opened it may be outside the visible part.
  useEffect(() => {
    frame.current?.scrollIntoView({ block: 'nearest' });
  }, [faults]);
  return (
    <Alert color="red" role="alert" ref={frame} icon={<IconAlertCircle aria-hidden />} title={title}>
      {advice && <Text mb={6}>{advice}</Text>}
      <ul className={classes.list} aria-label="Errors">
        {faults.map((fault, index) => (
          <li key={index}>
            <Place fault={fault} onSelectLine={onSelectLine} />
            {fault.message}
          </li>
        ))}
      </ul>
      {more > 0 && <Text mt={6}>And {more.toLocaleString('en')} more.</Text>}
    </Alert>
  );
}

function Place({ fault, onSelectLine }: { fault: TextFault } & Pick<Props, 'onSelectLine'>) {
  const place = placeOf(fault);
  const { line } = fault;
  if (place === '') return null;
  if (!onSelectLine || line === null) return <span className={classes.place}>{place}: </span>;
  return (
    <>
      <Anchor
        component="button"
        type="button"
        className={classes.place}
        c="inherit"
        underline="always"
        onClick={() => onSelectLine(line)}
      >
        {place}
      </Anchor>
      {': '}
    </>
  );
}
