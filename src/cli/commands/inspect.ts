import type { Command } from 'commander'
import type { Terminal } from '../terminal.js'

export function addInspectCommand(_program: Command, _terminal: Terminal): void {}
