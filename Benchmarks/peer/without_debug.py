"""Imports Bumble without its debug messages.

Bumble formats the text of each debug message, colours included, before it asks whether anybody wants to read it: half of
its time. To compare stacks and not formatting, every statement `logger.debug(...)` is left out as its modules are compiled.
Nothing else is changed.
"""

import ast
import importlib.abc
import importlib.machinery
import sys


class _LeaveOut(ast.NodeTransformer):
    def visit_Expr(self, node):
        call = node.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == 'debug'
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id == 'logger'
        ):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        path = self.get_filename(fullname)
        tree = _LeaveOut().visit(ast.parse(self.get_data(path), path))
        return compile(ast.fix_missing_locations(tree), path, 'exec', dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path, target=None):
        if fullname.partition('.')[0] != 'bumble':
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(fullname, spec.origin)
        return spec


sys.meta_path.insert(0, _Finder())
