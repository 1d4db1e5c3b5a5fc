// The manual page vidette(1), from the table of commands and from the guide's table of exit codes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describedCommands } from '../server/src/cli/command-line.ts';
import { root } from '../tools/install.mjs';

/** Where manual pages are below a folder whose `bin` is in PATH: `man` finds them there. */
export const manPath = 'share/man/man1/vidette.1';

/** In man(7). @param {{ version: string, seconds: number }} how @returns {string} */
export function manPage({ version, seconds }) {
  const day = new Date(seconds * 1000).toISOString().slice(0, 10);
  const commands = describedCommands().map(({ name, takes, does, takesJson }) => {
    const options = [takes, takesJson ? '[--json]' : ''].filter(Boolean).join(' ');
    return `.TP\n\\fB${roff(name)}\\fR ${roff(options)}\n${roff(sentence(does))}`;
  });
  const codes = exitCodes().map(([code, meaning]) => `.TP\n.B ${code}\n${roff(sentence(meaning))}`);
  return [
    `.TH VIDETTE 1 ${day} "Vidette ${version}" "User Commands"`,
    '.SH NAME',
    'vidette \\- watches, records and shows video streams',
    '.SH SYNOPSIS',
    '.B vidette',
    '.RI [ COMMAND ]',
    '.SH DESCRIPTION',
    'Without a command, runs the server until a signal ends it.',
    'SIGTERM and SIGINT end it in order, SIGHUP has it read its configuration again.',
    '.SH COMMANDS',
    ...commands,
    '.PP',
    'With',
    '.B \\-\\-json',
    'a command prints one object with its exit code, its lines, and what it found.',
    '.SH EXIT STATUS',
    ...codes,
    '.SH ENVIRONMENT',
    '.TP',
    '.B VIDETTE_DATA',
    'The data folder, by default',
    '.IR ./data .',
    'The Debian package uses',
    '.IR /var/lib/vidette .',
    '.TP',
    '.B VIDETTE_TOKEN',
    'The API token with which',
    '.B import',
    'adds streams.',
    '.PP',
    'Every key of',
    '.I vidette.yaml',
    'has a variable, such as',
    '.B VIDETTE_PORT',
    'for',
    '.BR port ;',
    'the variable takes precedence.',
    '.SH FILES',
    '.TP',
    '.I vidette.yaml',
    'The configuration, in the data folder.',
    '.TP',
    '.I /etc/vidette/vidette.env',
    'The environment of the service and of the command, with the Debian package.',
    '.SH SEE ALSO',
    'The guide, in the folder',
    '.I guide',
    'of the program, and on every server at',
    '.IR /ui/help/ .',
    '',
  ].join('\n');
}

/** Each code with its meaning, as the guide says. @returns {[string, string][]} */
function exitCodes() {
  const text = readFileSync(join(root, 'guide/install.md'), 'utf8');
  const [, section = ''] = /\n## Exit codes\n([^]*?)(?=\n## |$)/.exec(text) ?? [];
  const rows = [...section.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)];
  if (rows.length === 0) throw new Error('guide/install.md has no exit codes.');
  return rows.map(([, code = '', meaning = '']) => [code, meaning]);
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Text for man(7): no character of it is a request, and hyphens can be copied. @param {string} text */
function roff(text) {
  const plain = text
    .replaceAll('`', '')
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', '\\(cq');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
