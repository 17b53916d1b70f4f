import { describe, expect, it } from 'vitest';
import { EVENT_GROUPS, eventsSummary, eventWords, toggledGroup } from './events';

describe('the events to choose from', () => {
  it('have different words', () => {
    const all = EVENT_GROUPS.flatMap(({ events }) => events);
    expect(new Set(all.map(({ words }) => words)).size).toBe(all.length);
  });

  it('are added by the group, and taken away when all of it are chosen', () => {
    const group = EVENT_GROUPS[0]!.events;
    const some = toggledGroup(['step.started', 'execution.finished'], group);
    expect(some).toEqual(['step.started', 'execution.finished', 'execution.status_changed']);
    expect(toggledGroup(some, group)).toEqual(['step.started']);
  });

  it('have labels and a summary', () => {
    expect(eventsSummary(['step.started'])).toBe('step.started');
    expect(eventsSummary(['step.started', 'step.finished', 'host.started'])).toBe('step.started and 2 more');
    expect(eventWords('approval.requested')).toBe('Run waits for approval');
    expect(eventWords('something.new')).toBe('something.new');
  });
});
