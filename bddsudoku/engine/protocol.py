"""The base classes from which engines derive, and the registry of all engines.

Every engine derives from :class:`Engine`. One that can do more than count also derives from
:class:`DiagramEngine` (a diagram of all solutions), :class:`ListingEngine` (solutions one by one)
or :class:`SetEngine` (a set object of its own, without a diagram).

Engines are found by name or by what they do not refuse. Those of this package are imported when
somebody looks at them; others join by entry points of their packages (:mod:`bddsudoku.plug_ins`) or
by :func:`register`, and are then found by ``auto``, ``check``, ``count`` and the conformance suite.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, TypeVar

from bddsudoku.argument_types import check_types
from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError
from bddsudoku.number_text import format_integer
from bddsudoku.plug_ins import load_plug_in, plug_in_names

if TYPE_CHECKING:
    from bddsudoku.diagrams.zdd import Diagram
    from bddsudoku.jit.decorators import I64
    from bddsudoku.model.model import Model
    from bddsudoku.sets.decoder import Decoder
    from bddsudoku.sets.grid_family import GridFamily


@dataclass(frozen=True)
class Forecast:
    """The predicted cost of a count.

    Attributes:
        seconds: predicted, on the usual two cores.
        why: half a sentence for people.
        order: name of the item order, where one was picked.
        states: predicted states of a diagram, where there is one.
    """

    seconds: float
    why: str
    order: str = ""
    states: float = 0.0


@dataclass(frozen=True)
class ProbeResult:
    """The number of solutions that a probe found, with an explanation in words.

    Attributes:
        count: number of solutions.
        why: half a sentence for people.
    """

    count: int
    why: str


@dataclass(frozen=True, slots=True)
class LevelTrace:
    """The cost of one level of a diagram.

    Attributes:
        level: number of the level.
        levels: how many levels there are, those that no state reaches included.
        states: states that stood there.
        edges: children that were not dead at once.
        seconds: time spent on it; on a narrow one its share, by states and edges, of the time
            that it took to leave several.
        bytes: memory held when it was done.
    """

    level: int
    levels: int
    states: int
    edges: int
    seconds: float
    bytes: int


@dataclass(frozen=True, eq=False)
class Compiled:
    """A compiled diagram of all solutions, and its cost.

    Attributes:
        diagram: canonical, over the keys of the variables that were open.
        fixed: keys that are true in every solution besides.
        order: name of the order in which it reads its variables.
        variables: variables compiled.
        levels: the engine's trace, an entry for every level that had states.
        seconds: everything.
        choosing_seconds: the part spent on choosing the order.
        peak_bytes: greatest sum of the engine's arrays (the process needs some 100 MB more).
    """

    diagram: Diagram
    fixed: tuple[int, ...] = ()
    order: str = ""
    variables: int = 0
    levels: tuple[LevelTrace, ...] = ()
    seconds: float = 0.0
    choosing_seconds: float = 0.0
    peak_bytes: int = 0

    @property
    def states(self) -> int:
        """The number of states on all levels."""
        return sum(level.states for level in self.levels)

    @property
    def width(self) -> int:
        """The number of states on the widest level."""
        return max((level.states for level in self.levels), default=0)


class Engine:
    """Base class of engines, which count the solutions of models.

    Attributes:
        name: on the command line and in answers.
        in_portfolio: takes part in a comparison of all engines; False for what only settles trivial
            models.
    """

    name: ClassVar[str]
    in_portfolio: ClassVar[bool] = True

    def refuses(self, model: Model) -> str | None:
        """Say why this engine cannot solve a model, as words for a message; None if it can."""
        return None

    def count(self, model: Model, context: Context) -> int:
        """The exact number of solutions of a model that this engine does not refuse.

        Args:
            model: under any allocation; the engine propagates as far as it needs.

        Raises:
            LimitReached: a limit ended the count.
        """
        raise NotImplementedError

    def probe(self, model: Model, context: Context) -> ProbeResult | None:
        """Count the solutions if that takes only milliseconds; None if it would take longer."""
        return None

    def is_worth_a_probe(self, model: Model) -> bool:
        """Whether a probe is likely to succeed where nothing but the count is wanted."""
        return True

    def forecast(self, model: Model, context: Context) -> Forecast | None:
        """Predict the cost of a count; None excludes the engine from the choice.

        Raises:
            LimitReached: the time was used up by looking.
        """
        return None

    def fits(self, model: Model) -> bool:
        """Whether the tables that this engine makes of a model are small enough for a trial."""
        return True

    def warm_up(self) -> None:
        """Load the machine code that a count needs (compile it the first time)."""
        self.count(smallest_model(), Context())


class DiagramEngine(Engine):
    """An engine that compiles a diagram of all solutions."""

    def diagram(self, model: Model, context: Context, *, order: str = "auto") -> Compiled:
        """Compile all solutions to a canonical diagram.

        Args:
            model: as for :meth:`count`.
            order: name of an order in which the diagram reads its variables
                (:mod:`bddsudoku.model.ordering`); ``auto`` predicts and picks.

        Raises:
            LimitReached: a limit ended the work.
            ModelError: there is no such order.
        """
        raise NotImplementedError

    def diagram_forecast(self, model: Model, context: Context) -> Forecast | None:
        """Predict the cost of a diagram; unless overridden, the forecast of a count.

        Raises:
            LimitReached: the time was used up by looking.
        """
        return self.forecast(model, context)


class ListingEngine(Engine):
    """An engine that lists solutions one by one."""

    def is_preferred(self, model: Model) -> bool:
        """Whether this engine is preferred to others for listing a model's solutions."""
        return False

    def solutions(
        self,
        model: Model,
        context: Context,
        *,
        limit: int | None = None,
        node_limit: int | None = None,
        seed: int | None = None,
    ) -> Iterator[I64]:
        """Yield the solutions as they are found, each as the ascending keys of its true variables.

        Args:
            model: as for :meth:`count`.
            limit: stop after so many.
            node_limit: give up after so many search nodes.
            seed: shuffles the order; None leaves it to the engine.

        Raises:
            LimitReached: the search ended before its end and before ``limit`` solutions.
        """
        raise NotImplementedError


class Search(ABC):
    """A search for all solutions of a model, which stops and goes on when it is told to.

    Attributes:
        method: how it searches, for messages.
        unit: what it finds, for messages.
    """

    method: ClassVar[str]
    unit: ClassVar[str] = "solutions"

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether the whole tree has been searched."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of solutions so far."""

    @property
    @abstractmethod
    def nodes(self) -> int:
        """Number of search nodes so far."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """What it has cost so far (:attr:`bddsudoku.context.Context.work`)."""

    @abstractmethod
    def advance(self, max_found: int | None = None, max_nodes: int | None = None) -> None:
        """Go on for some tenths of a second, or until a total of solutions or nodes is reached."""

    @abstractmethod
    def next_solutions(
        self, max_found: int | None = None, max_nodes: int | None = None
    ) -> Iterable[I64]:
        """Go on like :meth:`advance`, and return the solutions that are found."""

    def check(self, context: Context, node_limit: int | None = None) -> None:
        """Report the solutions so far; raise LimitReached if nodes, steps or time are used up."""
        context.report_found(self.count)
        found = f"{format_integer(self.count)} {self.unit}"
        where = f"by {self.method} after {self.nodes:,} nodes and {found}"
        if node_limit is not None and self.nodes >= node_limit:
            raise context.limit_error(where, limit="nodes")
        context.check(where, work=self.steps)

    def run(self, context: Context) -> int:
        """Search to the end, report progress, and return the number of solutions."""
        while not self.done:
            self.advance()
            if not self.done:
                self.check(context)
            context.check_and_report(self.nodes, 2 * self.nodes)
        return self.count

    def solutions(
        self, context: Context, *, limit: int | None = None, node_limit: int | None = None
    ) -> Iterator[I64]:
        """Yield all solutions, or the first ones; see :meth:`ListingEngine.solutions`."""
        given = 0
        while not self.done and given != limit:
            for one in self.next_solutions(limit, node_limit):
                yield one
                given += 1
                if given == limit:
                    return
            if not self.done:
                self.check(context, node_limit)


class SearchingEngine(ListingEngine):
    """A listing engine that is told to start a search, and counts and lists by it.

    Attributes:
        probe_nodes: search nodes of a probe, some 0.1 s.
    """

    probe_nodes: ClassVar[int]

    @abstractmethod
    def start(self, model: Model, context: Context, seed: int | None = None) -> Search:
        """Start a search for the solutions of a model; arguments as for :meth:`solutions`."""

    def count(self, model: Model, context: Context) -> int:
        """Count the solutions by visiting each of them."""
        return self.start(model, context).run(context)

    def probe(self, model: Model, context: Context) -> ProbeResult | None:
        """Count the solutions if :attr:`probe_nodes` nodes of search suffice; None otherwise."""
        if not self.fits(model):
            return None
        search = self.start(model, context)
        while not search.done and search.nodes < self.probe_nodes:
            search.advance(None, self.probe_nodes)
            context.check()
        if not search.done:
            context.report_found(search.count)
            return None
        return ProbeResult(search.count, f"the search ended after {search.nodes:,} nodes")

    def solutions(
        self,
        model: Model,
        context: Context,
        *,
        limit: int | None = None,
        node_limit: int | None = None,
        seed: int | None = None,
    ) -> Iterator[I64]:
        """Yield the solutions in the order of the search."""
        yield from self.start(model, context, seed).solutions(
            context, limit=limit, node_limit=node_limit
        )


class SetEngine(Engine):
    """An engine that represents the solution set without a diagram.

    Attributes:
        uses_components: it holds what falls apart into components. What that costs is not known
            beforehand, so it is attempted with a share of the work; otherwise it holds any set of
            whatever it takes, however large.
    """

    uses_components: ClassVar[bool] = False

    def is_preferred(self, model: Model) -> bool:
        """Whether this engine is preferred to others for a model's solution set."""
        return True

    def solution_set(
        self, model: Model, context: Context, *, decoder: Decoder | None = None
    ) -> GridFamily:
        """Represent the set of all solutions of a model as an object that needs no diagram.

        Args:
            model: as for :meth:`count`.
            decoder: then solutions are the puzzle's own objects.

        Raises:
            LimitReached: a limit ended the work.
            ModelError: the solutions are not of the kind that it holds.
        """
        raise NotImplementedError


def smallest_model() -> Model:
    """Make a tiny model: two independent choices between two variables each."""
    # The command line imports this file for the names of engines, and must not load NumPy for it.
    from bddsudoku.model.constraints import OneHot, Variable
    from bddsudoku.model.model import Model, PuzzleDefinition
    from bddsudoku.model.ordering import DefinitionOrigin

    pairs = [(0, 1), (2, 3)]
    return Model(
        tuple(Variable(f"x{i}", i) for i in range(4)),
        tuple(OneHot("pair", str(i), pair) for i, pair in enumerate(pairs)),
    ).with_origin(DefinitionOrigin(PuzzleDefinition((0, 1), {v: (v // 2,) for v in range(4)})))


E = TypeVar("E", bound=Engine)

BUILT_IN_ENGINES: dict[str, tuple[type[Engine], str]] = {
    "singles": (Engine, "classic_board:SinglesEngine"),
    "bitboard": (ListingEngine, "bitboard.engine:BitboardEngine"),
    "bands": (SetEngine, "bands.band_set:BandsEngine"),
    "frontier": (DiagramEngine, "frontier_engine:FrontierEngine"),
    "bdd": (DiagramEngine, "conjunction.engine:BddEngine"),
    "dlx": (ListingEngine, "dlx:DlxEngine"),
    "components": (SetEngine, "components.engine:ComponentsEngine"),
    "search": (ListingEngine, "search.engine:SearchEngine"),
    "brute-force": (ListingEngine, "brute_force:BruteForceEngine"),
}
"""Name → what the engine derives from, so that whoever looks for another kind does not import it,
and where its class is in this package; the order is that of tables, the fastest first."""
_CLASSIC_ENGINES = ("bitboard", "bands")
_CLASSIC_VARIABLES = 729
"""Engines for the classic board alone, and the variables that it has before hints."""

NAMED = "named"
"""The reason for an engine that the caller named."""
_PLUG_INS = "bddsudoku.engines"
"""The group of entry points with which other packages declare engines."""

_registry: dict[str, Engine] = {}
"""Engines that were asked for or registered, each made once; every access is a single step."""


def engine_names() -> tuple[str, ...]:
    """The names of all engines, without importing them: this package's own first."""
    return tuple(dict.fromkeys((*BUILT_IN_ENGINES, *plug_in_engine_names(), *_registry)))


def plug_in_engine_names() -> tuple[str, ...]:
    """The names of the engines that other installed packages declare.

    Raises:
        PlugInError: a name is taken.
    """
    return plug_in_names(_PLUG_INS, BUILT_IN_ENGINES)


@check_types
def find_engine(name: str) -> Engine:
    """Find an engine by its name.

    Raises:
        BddSudokuError: there is none.
        PlugInError: it is a plug-in that cannot be loaded.
    """
    if name not in _registry:
        if name in BUILT_IN_ENGINES:
            module, _, attribute = BUILT_IN_ENGINES[name][1].partition(":")
            created = getattr(import_module(f"bddsudoku.engine.{module}"), attribute)()
        elif name in plug_in_engine_names():
            created = load_plug_in(_PLUG_INS, name, Engine, lambda found: found())
        else:
            raise BddSudokuError(f"no engine is called {name!r}; there are {engine_names()}")
        assert isinstance(created, Engine)
        _registry.setdefault(name, created)
    return _registry[name]


def require_engine(name: str, model: Model) -> Engine:
    """The engine with a given name, which must accept the model.

    Raises:
        BddSudokuError: there is no such engine, or it refuses the model.
    """
    found = find_engine(name)
    why = found.refuses(model)
    if why is not None:
        raise BddSudokuError(f"the engine {name} cannot take this: {why}")
    return found


def engines() -> Iterator[Engine]:
    """Yield all engines of the portfolio; each is imported when the iteration reaches it."""
    yield from map(find_engine, _names_in_order())


def _names_in_order() -> Iterator[str]:
    """Yield the names of all engines; plug-ins are looked for when all others were taken."""
    yield from BUILT_IN_ENGINES
    yield from (name for name in engine_names() if name not in BUILT_IN_ENGINES)


def engines_that_take(model: Model, kind: type[E]) -> Iterator[E]:
    """Yield the engines in the portfolio that do not refuse a model, the fastest first.

    Args:
        kind: :class:`Engine` for all, or one of its children in :mod:`bddsudoku.engine.protocol`.
    """
    is_classic = len(model.original.variables) == _CLASSIC_VARIABLES
    for name in _names_in_order():
        if name in BUILT_IN_ENGINES and not issubclass(BUILT_IN_ENGINES[name][0], kind):
            continue
        if name in _CLASSIC_ENGINES and not is_classic:
            continue
        e = find_engine(name)
        if isinstance(e, kind) and e.in_portfolio and e.refuses(model) is None:
            yield e


def choose_listing_engine(model: Model) -> ListingEngine:
    """Choose the engine preferred for listing the solutions of a model."""
    first: ListingEngine | None = None
    for candidate in engines_that_take(model, ListingEngine):
        # Those of the classic board are its fastest: no other is looked at.
        if candidate.is_preferred(model) or candidate.name in _CLASSIC_ENGINES:
            return candidate
        first = first or candidate
    last = first or find_engine("search")  # which says why, where it is used
    assert isinstance(last, ListingEngine)
    return last


def choose_set_engine(model: Model, *, uses_components: bool = False) -> SetEngine | None:
    """Return the engine preferred for a model's solution set, or None.

    None also if that engine's ``uses_components`` differs from the argument.
    """
    found = next((e for e in engines_that_take(model, SetEngine) if e.is_preferred(model)), None)
    return found if found is not None and found.uses_components is uses_components else None


@check_types
def register(new: Engine) -> None:
    """Add an engine to the portfolio.

    Raises:
        BddSudokuError: its name is taken.
    """
    if new.name in engine_names():
        raise BddSudokuError(f"an engine is already called {new.name!r}")
    _registry[new.name] = new


@check_types
def unregister(name: str) -> None:
    """Remove an engine that was added by :func:`register`."""
    if name in BUILT_IN_ENGINES or name in plug_in_engine_names():
        raise BddSudokuError(f"{name!r} is an engine of an installed package")
    _registry.pop(name, None)
