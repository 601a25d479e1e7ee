from bddsudoku.diagrams.other_libraries import from_dd as from_dd
from bddsudoku.diagrams.other_libraries import from_oxidd as from_oxidd
from bddsudoku.diagrams.other_libraries import to_dd as to_dd
from bddsudoku.diagrams.other_libraries import to_oxidd as to_oxidd
from bddsudoku.diagrams.zdd import Diagram as Diagram
from bddsudoku.sets.decoder import KeyDecoder as KeyDecoder
from bddsudoku.sets.gridset import GridSet as GridSet
from bddsudoku.sets.solutionset import SolutionSet as SolutionSet
