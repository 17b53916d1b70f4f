import { useComputedColorScheme } from '@mantine/core';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { useWidth } from '../../../ui/page/useWidth';
import type { Tone } from '../../../ui/status/statuses';
import { heatMapSize, type HeatMapSize, hostAfterKey, hostAt, squareOf } from './heat-map';
import classes from './matrix.module.css';
import type { Row } from './matrix-rows';

const HEIGHT_PX = 84;
/** Edge from which a cross in a square is visible, in px. */
const CROSSED_PX = 7;

const TONE_TEXTS: Record<Tone, string> = {
  bad: 'failed',
  warn: 'needs attention',
  active: 'active',
  good: 'succeeded',
  idle: 'pending',
  muted: 'skipped or cancelled',
};

interface Props {
  /** All hosts of the run, in an order that does not change. */
  rows: readonly Row[];
  /** Number of hosts, including those not loaded yet. Keeps the size of the map. */
  hosts: number;
  selectedHost: string | undefined;
  onSelect: (host: string) => void;
}

/** Picture of all hosts: one square for each, in the colour of its worst result. */
export function HeatMap({ rows, hosts, selectedHost, onSelect }: Props) {
  const scheme = useComputedColorScheme('light');
  const { ref: sized, width } = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState(0);
  const size = heatMapSize(hosts, width, HEIGHT_PX);
  const selected = rows.findIndex(({ name, serverId }) => name === selectedHost || serverId === selectedHost);
  const current = rows[Math.min(at, rows.length - 1)];

  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, rows, size, selected);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `size` follows from the other values
  }, [rows, width, selected, scheme]);

  const indexAt = ({ nativeEvent: { offsetX, offsetY } }: MouseEvent) => hostAt(size, rows.length, offsetX, offsetY);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') {
      if (current) onSelect(current.name);
    } else {
      const next = hostAfterKey(event.key, at, size, rows.length);
      if (next === null) return;
      setAt(next);
    }
    event.preventDefault();
  };
  return (
    <div
      ref={sized}
      className={classes.heatMap}
      role="slider"
      tabIndex={0}
      aria-label="Map of hosts"
      aria-valuemin={1}
      aria-valuemax={rows.length}
      aria-valuenow={at + 1}
      aria-valuetext={current && textOf(current)}
      title={current && textOf(current)}
      onKeyDown={onKeyDown}
      onMouseMove={(event) => {
        const index = indexAt(event);
        if (index !== null) setAt(index);
      }}
      onClick={(event) => {
        const row = rows[indexAt(event) ?? -1];
        if (row) onSelect(row.name);
      }}
    >
      <canvas ref={canvas} aria-hidden />
    </div>
  );
}

const textOf = ({ name, tone }: Row): string => `${name}: ${TONE_TEXTS[tone]}`;

function draw(canvas: HTMLCanvasElement, rows: readonly Row[], size: HeatMapSize, selected: number): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = window.devicePixelRatio;
  const [width, height] = [size.columns * size.cell, size.rows * size.cell];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colourOf = (name: string) => style.getPropertyValue(`--rw-${name}`);
  for (const [index, { tone }] of rows.entries()) {
    const { x, y, edge } = squareOf(size, index);
    context.fillStyle = colourOf(tone);
    context.globalAlpha = tone === 'good' ? 0.45 : tone === 'idle' || tone === 'muted' ? 0.3 : 1;
    context.fillRect(x, y, edge, edge);
    context.globalAlpha = 1;
    if (tone === 'bad' && edge >= CROSSED_PX) {
      context.strokeStyle = style.getPropertyValue('--mantine-color-body');
      context.beginPath();
      context.moveTo(x + 2, y + 2);
      context.lineTo(x + edge - 2, y + edge - 2);
      context.moveTo(x + edge - 2, y + 2);
      context.lineTo(x + 2, y + edge - 2);
      context.stroke();
    }
    if (index === selected) {
      context.strokeStyle = style.getPropertyValue('--mantine-color-text');
      context.lineWidth = 2;
      context.strokeRect(x, y, edge, edge);
      context.lineWidth = 1;
    }
  }
}
