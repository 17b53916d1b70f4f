import { describe, expect, it } from '@jest/globals';
import { textReader } from '../../../../../test/support/inventory-texts.js';

const { hosts, faults, message, leftOut } = textReader('ansible-ini');

const x = (text: string) => hosts(text)['h']?.variables?.['x'];

describe('groups as tags', () => {
  it('leaves out the groups farthest from a host with too many groups, and reports which', () => {
    const chain = Array.from({ length: 60 }, (_, index) => `[g${index + 1}:children]\ng${index}`).join('\n');
    const text = `[g0]\nh\n${chain}`;
    const tags = hosts(text)['h']?.tags ?? {};
    expect(Object.keys(tags)).toHaveLength(50);
    expect(tags).toMatchObject({ 'group.g0': 'true', 'group.g49': 'true' });
    expect(Object.keys(leftOut(text))).toContain('tag of the group g60');
  });
});

describe('variables of groups', () => {
  it('of children override those of parents, and those of hosts override all', () => {
    const tree = '[child]\nh\n[parent:children]\nchild\n[all:vars]\nx=all\n[parent:vars]\nx=parent\n';
    expect(x('h\n[all:vars]\nx=all')).toBe('all');
    expect(x(tree)).toBe('parent');
    expect(x(`${tree}[child:vars]\nx=child\n`)).toBe('child');
    expect(x(`${tree}[child:vars]\nx=child\n[child]\nh x=host\n`)).toBe('host');
  });

  it('of the last group in alphabetical order win at the same depth', () => {
    expect(x('[b]\nh\n[a]\nh\n[b:vars]\nx=b\n[a:vars]\nx=a\n')).toBe('b');
  });

  it('of the group with the higher priority win over alphabetical order', () => {
    expect(x('[b]\nh\n[a]\nh\n[b:vars]\nx=b\n[a:vars]\nx=a\nansible_group_priority=10\n')).toBe('a');
  });

  it('use the longest path from the top as depth of a group', () => {
    const text =
      '[z]\nh\n[deep]\nh\n[mid:children]\ndeep\n[top:children]\nmid\ndeep\n[z:vars]\nx=z\n[deep:vars]\nx=deep\n';
    expect(x(text)).toBe('deep');
  });

  it('of ungrouped count only for a host in no other group', () => {
    expect(x('h\n[ungrouped:vars]\nx=u')).toBe('u');
    expect(x('h\n[web]\nh\n[ungrouped:vars]\nx=u')).toBeUndefined();
  });
});

describe('groups as tags', () => {
  it('gives a host a tag for each of its groups, also through children, except for all', () => {
    const { h } = hosts('[web]\nh\n[site:children]\nweb\n[all:children]\nsite\n');
    expect(h?.tags).toEqual({ 'group.site': 'true', 'group.web': 'true' });
  });

  it('changes a name that is not a valid tag key, and reports it', () => {
    const text = '[web@eu]\nh\n';
    expect(hosts(text)['h']?.tags).toEqual({ 'group.web_eu': 'true' });
    expect(leftOut(text)['web@eu']).toContain('The tag of this group becomes group.web_eu.');
  });

  it('never gives two groups the same tag', () => {
    const text = '[web@eu]\nh\n[web_eu]\nh\n';
    expect(hosts(text)['h']?.tags).toEqual({ 'group.web_eu': 'true' });
    expect(leftOut(text)['web@eu']).toContain('This group gets no tag');
  });

  it('makes no tag of a name that is too long', () => {
    const name = 'g'.repeat(58);
    expect(hosts(`[${name}]\nh\n`)['h']?.tags).toBeUndefined();
    expect(leftOut(`[${name}]\nh\n`)[name]).toContain('at most 63 characters');
  });
});

describe('group cycles', () => {
  it('are rejected with the path of the cycle', () => {
    const text = '[a]\nh\n[a:children]\nb\n[b:children]\nc\n[c:children]\na\n[d:children]\na\n';
    expect(faults(text)[0]).toMatch(/group_circle$/);
    expect(message(text)).toMatch(/: (a → b → c → a|b → c → a → b|c → a → b → c)\. /);
  });

  it('are rejected for a group within itself, and for all within another', () => {
    expect(message('[a]\nh\n[a:children]\na\n')).toContain('a → a');
    expect(faults('[a]\nh\n[a:children]\nall\n')).toEqual(['4 a group_circle']);
  });
});
