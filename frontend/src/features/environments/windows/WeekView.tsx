import { Box } from '@mantine/core';
import { Fragment } from 'react';
import type { OpenSpan } from '../../../api/types';
import classes from './week.module.css';
import { dayText, WEEK, weekOf } from './windows-form';

const DAY = 1440;

export function WeekView({ open }: { open: readonly OpenSpan[] }) {
  const week = weekOf(open);
  return (
    <div className={classes.week}>
      {WEEK.map(({ value, label, short }) => {
        const intervals = week.get(value) ?? [];
        return (
          <Fragment key={value}>
            <span aria-hidden>{short}</span>
            <Box
              className={classes.bar}
              role="img"
              aria-label={`${label}: ${dayText(intervals)}`}
              title={dayText(intervals)}
            >
              {intervals.map(({ from, to }) => (
                <div
                  key={from}
                  className={classes.open}
                  style={{ left: `${(from / DAY) * 100}%`, width: `${((to - from) / DAY) * 100}%` }}
                />
              ))}
            </Box>
          </Fragment>
        );
      })}
      <span />
      <div className={classes.hours} aria-hidden>
        {['00', '06', '12', '18', '24'].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
    </div>
  );
}
